/** Names of months as feeds write them, by their first letters: English, Greek and Hungarian (the forms that Universal Feed Parser reads). */
const english = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const greek = ['ιαν', 'φεβ', 'μάρ μαρ μάώ μαώ', 'απρ', 'μάι μαϊ μαι μαΐ', 'ιούν ιον ιουν', 'ιούλ ιολ ιουλ', 'αύγ αυγ', 'σεπ', 'οκτ', 'νοέ νοε', 'δεκ']
const hungarian = [
  'január',
  'februári február',
  'március',
  'április',
  'máujus május',
  'június',
  'július',
  'augusztus',
  'szeptember',
  'október',
  'november',
  'december',
]

/** 0…11, or undefined if the word is no month. */
export function monthOfName(word: string): number | undefined {
  const lower = word.toLowerCase()
  const month = english.indexOf(lower.slice(0, 3))
  if (month >= 0 && /^[a-z]+\.?$/.test(lower)) return month
  for (const names of [greek, hungarian]) {
    const found = names.findIndex(forms => forms.split(' ').some(form => lower.startsWith(form)))
    if (found >= 0) return found
  }
  return undefined
}

const hoursOfZones: Readonly<Record<string, number>> = {
  ut: 0,
  utc: 0,
  gmt: 0,
  z: 0,
  'etc/gmt': 0,
  'etc/utc': 0,
  wet: 0,
  bst: 1,
  west: 1,
  met: 1,
  cet: 1,
  mest: 2,
  cest: 2,
  eet: 2,
  eest: 3,
  msk: 3,
  ist: 5.5,
  jst: 9,
  kst: 9,
  aest: 10,
  aedt: 11,
  ast: -4,
  adt: -3,
  edt: -4,
  est: -5,
  et: -5,
  cdt: -5,
  cst: -6,
  ct: -6,
  mdt: -6,
  mst: -7,
  mt: -7,
  pdt: -7,
  pst: -8,
  pt: -8,
  akdt: -8,
  akst: -9,
  hst: -10,
}

/** Minutes east of Greenwich of `+0100`, `-05:30`, `GMT`, `EST`, …; undefined if it is no zone. Empty is UTC. */
export function zoneMinutes(zone: string): number | undefined {
  const text = zone
    .trim()
    .toLowerCase()
    .replace(/^\((.*)\)$/, '$1')
  if (text === '') return 0
  if (Object.hasOwn(hoursOfZones, text)) return (hoursOfZones[text] as number) * 60
  const offset = /^(?:gmt|utc)?([+-])(\d{1,2}):?(\d{2})?$/.exec(text)
  if (offset === null) return undefined
  const hours = Number(offset[2])
  const minutes = Number(offset[3] ?? 0)
  return hours > 24 || minutes > 59 ? undefined : (offset[1] === '-' ? -1 : 1) * (hours * 60 + minutes)
}
