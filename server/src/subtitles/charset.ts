/** Text in whatever encoding old files have: what a byte order mark says, UTF-8 if it is that, else a guess. */
export function decodeText(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder(isMostlyRuns(bytes) ? 'windows-1251' : 'windows-1252').decode(bytes)
  }
}

/** Letters beyond ASCII stand alone in western words and side by side in Cyrillic ones. */
function isMostlyRuns(bytes: Uint8Array): boolean {
  let [high, neighbours] = [0, 0]
  const end = Math.min(bytes.length, 65_536)
  for (let at = 0; at < end; at += 1) {
    if ((bytes[at] ?? 0) < 0xc0) continue
    high += 1
    if ((bytes[at + 1] ?? 0) >= 0xc0) neighbours += 1
  }
  return neighbours > high / 2
}
