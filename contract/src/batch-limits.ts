/** What one request may bring when it uploads many small files. */
export const batchLimits = {
  files: 200,
  /** In bytes, of each file. */
  fileSize: 256 * 1024,
  /** In bytes, of all files. */
  size: 8 << 20,
} as const
