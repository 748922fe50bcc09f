/** The used parts of libraries without types. */
declare module 'bzip2-wasm' {
  // biome-ignore lint/style/noDefaultExport: that is how the library exports it
  export default class BZip2 {
    init(): Promise<void>
    compress(bytes: Uint8Array, blockSize: number, room: number): Uint8Array
  }
}

declare module 'lzma-native' {
  import type { Transform } from 'node:stream'
  export function createCompressor(options: { preset: number }): Transform & { cleanup(): void }
  export function createStream(coder: 'autoDecoder', options: { memlimit: number }): Transform & { cleanup(): void }
}
