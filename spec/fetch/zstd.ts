import * as zlib from 'node:zlib'

/** Whether this runtime can undo zstd. */
export const zstdDecompress = 'zstdDecompressSync' in zlib
