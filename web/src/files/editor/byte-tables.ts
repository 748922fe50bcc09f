/**
 * Browsers read the old encodings but do not write them. Their tables are found by reading: every single byte and
 * every pair of bytes is decoded once, and what comes out as one character is the way to write that character.
 */
export function byteTables(encoding: string): Map<string, number> {
  let table = tables.get(encoding)
  if (table === undefined) {
    table = makeTable(encoding)
    tables.set(encoding, table)
  }
  return table
}

const tables = new Map<string, Map<string, number>>()

function makeTable(encoding: string): Map<string, number> {
  const decoder = new TextDecoder(encoding, { fatal: true })
  const table = new Map<string, number>()
  const leads: number[] = []
  for (let byte = 0; byte < 0x100; byte += 1) {
    const character = read(decoder, byte)
    if (character === null) leads.push(byte)
    else if (!table.has(character)) table.set(character, byte)
  }
  for (const lead of leads) {
    for (let trail = 0x30; trail < 0x100; trail += 1) {
      const character = read(decoder, lead, trail)
      if (character !== null && !table.has(character)) table.set(character, (lead << 8) | trail)
    }
  }
  return table
}

function read(decoder: TextDecoder, ...bytes: number[]): string | null {
  try {
    const text = decoder.decode(new Uint8Array(bytes))
    return [...text].length === 1 ? text : null
  } catch {
    return null
  }
}
