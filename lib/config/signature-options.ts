import { boolean, type ConfigOf, choice, integer, number } from './field.js'

const nutch = (name: string): string => `org.apache.nutch.crawl.${name}`

export const signatureFields = {
  signatureClass: choice({
    property: 'db.signature.class',
    default: 'MD5Signature',
    choices: ['MD5Signature', 'TextMD5Signature', 'TextProfileSignature', 'SimHash'],
    aliases: {
      [nutch('MD5Signature')]: 'MD5Signature',
      [nutch('TextMD5Signature')]: 'TextMD5Signature',
      [nutch('TextProfileSignature')]: 'TextProfileSignature',
    },
    text: 'What a page is compared by: its bytes, its text, the profile of its text, or the SimHash of its text. One db keeps to one.',
  }),
  minTokenChars: integer({
    property: 'db.signature.text_profile.min_token_len',
    default: 2,
    min: 0,
    text: 'TextProfile: only tokens longer than this count.',
  }),
  quantRate: number({
    property: 'db.signature.text_profile.quant_rate',
    default: 0.01,
    min: 0,
    max: 1,
    text: 'TextProfile: counts are rounded down to a multiple of this share of the highest count.',
  }),
  sortsLexically: boolean({
    property: 'db.signature.text_profile.sec_sort_lex',
    default: true,
    text: 'TextProfile: tokens of equal count are sorted, so that their order on the page does not matter.',
  }),
}
export type SignatureConfig = ConfigOf<typeof signatureFields>
