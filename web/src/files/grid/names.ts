/** Hidden files and left-over copies stand back. */
export const isDimmed = (name: string): boolean => name.startsWith('.') || name.toLowerCase().endsWith('.bak')
