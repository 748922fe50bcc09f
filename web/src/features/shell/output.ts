/** More lines than this and the oldest go: a command may never stop talking. */
const most = 5000

// biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes begin with the escape character
const colourCodes = /\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g

export interface Line {
  id: number
  kind: 'command' | 'output' | 'end'
  text: string
}

export function addLine(lines: readonly Line[], kind: Line['kind'], text: string): Line[] {
  const id = (lines.at(-1)?.id ?? 0) + 1
  return [...lines.slice(-most + 1), { id, kind, text: text.replace(colourCodes, '') }]
}
