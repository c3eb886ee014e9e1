import { decodeAll } from '../charset/decode-bytes.js'
import { utf16Of } from '../charset/detect-charset.js'

/** A type and the bytes that its content starts with; `..` in the pattern stands for any byte. */
interface Magic {
  readonly mediaType: string
  readonly bytes: readonly (number | undefined)[]
  readonly offset: number
  /** These bytes may begin a text too (`LP`, `OTTO`, `ID3`), where files of the type always hold bytes that no text holds. */
  readonly isWord: boolean
}

/** Formats that may hold nothing but text. */
const textFormats: ReadonlySet<string> = new Set(['application/pdf', 'application/postscript', 'application/rtf'])

/** Binary types by their first bytes: the MIME Sniffing Standard’s table, and formats that crawls meet besides (Tika’s tika-mimetypes.xml). */
const table: readonly Magic[] = (
  [
    ['image/png', '89504e470d0a1a0a'],
    ['image/jpeg', 'ffd8ff'],
    ['image/gif', '474946383761'],
    ['image/gif', '474946383961'],
    ['image/webp', '52494646........57454250'],
    ['image/bmp', '424d............0000'],
    ['image/vnd.microsoft.icon', '00000100'],
    ['image/vnd.microsoft.icon', '00000200'],
    ['image/tiff', '49492a00'],
    ['image/tiff', '4d4d002a'],
    ['image/vnd.adobe.photoshop', '38425053'],
    ['image/jxl', '0000000c4a584c20'],
    ['image/jp2', '0000000c6a502020'],
    ['image/avif', '6674797061766966', 4],
    ['image/heic', '6674797068656963', 4],
    ['application/pdf', '255044462d'],
    ['application/postscript', '25215053'],
    ['application/zip', '504b0304'],
    ['application/zip', '504b0506'],
    ['application/gzip', '1f8b08'],
    ['application/x-bzip2', '425a68'],
    ['application/x-xz', 'fd377a585a00'],
    ['application/zstd', '28b52ffd'],
    ['application/x-rar-compressed', '526172211a07'],
    ['application/x-7z-compressed', '377abcaf271c'],
    ['application/x-tar', '7573746172', 257],
    ['application/x-ole-storage', 'd0cf11e0a1b11ae1'],
    ['application/rtf', '7b5c727466'],
    ['application/wasm', '0061736d'],
    ['application/java-vm', 'cafebabe'],
    ['application/x-elf', '7f454c46'],
    ['application/x-msdownload', '4d5a9000'],
    ['application/vnd.sqlite3', '53514c69746520666f726d6174203300'],
    ['application/x-shockwave-flash', '435753'],
    ['application/x-shockwave-flash', '465753'],
    ['application/vnd.ms-fontobject', '4c50', 34],
    ['font/woff', '774f4646'],
    ['font/woff2', '774f4632'],
    ['font/otf', '4f54544f'],
    ['font/ttf', '0001000000'],
    ['font/collection', '74746366'],
    ['audio/mpeg', '494433'],
    ['audio/mpeg', 'fffb'],
    ['audio/flac', '664c6143'],
    ['audio/midi', '4d54686400000006'],
    ['audio/wave', '52494646........57415645'],
    ['audio/aiff', '464f524d........41494646'],
    ['audio/basic', '2e736e64'],
    ['application/ogg', '4f67675300'],
    ['video/avi', '52494646........41564920'],
    ['video/webm', '1a45dfa3'],
    ['video/mp4', '66747970', 4],
    ['video/mpeg', '000001ba'],
    ['video/x-flv', '464c5601'],
    ['video/x-ms-wmv', '3026b2758e66cf11'],
  ] as const
).map(([mediaType, hex, offset = 0]) => ({
  mediaType,
  offset,
  bytes: hex.match(/../g)?.map(byte => (byte === '..' ? undefined : Number.parseInt(byte, 16))) ?? [],
  isWord: !textFormats.has(mediaType) && /^(?:[2-7][0-9a-e]|[2-6]f|\.\.)+$/.test(hex),
}))

/** The binary type whose first bytes these are, or undefined. First bytes that are a word tell it only where there is binary data. */
export function magicType(bytes: Uint8Array): string | undefined {
  const found = table.find(
    ({ bytes: wanted, offset, isWord }) =>
      bytes.length >= offset + wanted.length &&
      wanted.every((byte, index) => byte === undefined || bytes[offset + index] === byte) &&
      (!isWord || looksBinary(bytes)),
  )
  return found?.mediaType
}

/** Bytes that are looked at for binary data (MIME Sniffing Standard, "resource header"). */
const headerBytes = 1445

/** Whether the start holds bytes that text does not (MIME Sniffing Standard, "binary data byte"). UTF-16 is text. */
export function looksBinary(bytes: Uint8Array): boolean {
  if ((bytes[0] === 0xfe && bytes[1] === 0xff) || (bytes[0] === 0xff && bytes[1] === 0xfe)) return false
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return false
  const wide = utf16Of(bytes)
  const start = bytes.subarray(0, headerBytes)
  return wide === undefined ? holdsBinary(start) : holdsBinary(Buffer.from(decodeAll(start, wide)))
}

function holdsBinary(bytes: Uint8Array): boolean {
  for (const byte of bytes) {
    if (byte <= 0x08 || byte === 0x0b || (byte >= 0x0e && byte <= 0x1a) || (byte >= 0x1c && byte <= 0x1f)) return true
  }
  return false
}
