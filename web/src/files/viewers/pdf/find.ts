/** Where a text occurs in another, in upper and lower case alike. */
export function occurrencesOf(wanted: string, text: string): number[] {
  const [sought, all] = [folded(wanted), folded(text)]
  const found: number[] = []
  if (sought === '') return found
  for (let at = all.indexOf(sought); at !== -1; at = all.indexOf(sought, at + sought.length)) found.push(at)
  return found
}

/** Letter by letter, so that places stay the same: İ becomes two in lower case. */
const folded = (text: string): string =>
  Array.from({ length: text.length }, (_, at) => {
    const lower = (text[at] ?? '').toLowerCase()
    return lower.length === 1 ? lower : (text[at] ?? '')
  }).join('')

/** A text on a page, and how often it occurs before. */
export interface Match {
  page: number
  /** Among those of the page. */
  index: number
}

/** What the text layer of a page holds. A line that ends is a space. */
interface Layer {
  text: string
  /** The nodes in their order, with the place where each begins. */
  nodes: { node: Text; start: number }[]
}

function readLayer(layer: HTMLElement): Layer {
  const nodes: Layer['nodes'] = []
  let text = ''
  const walker = document.createTreeWalker(layer, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT)
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (node instanceof Text) {
      nodes.push({ node, start: text.length })
      text += node.data
    } else if (node.nodeName === 'BR') text += ' '
  }
  return { text, nodes }
}

/** The parts of a text layer that hold the text. */
export function rangesOf(wanted: string, layer: HTMLElement): Range[] {
  const { text, nodes } = readLayer(layer)
  return occurrencesOf(wanted, text).flatMap((at) => {
    const [first, last] = [nodeAt(nodes, at), nodeAt(nodes, at + wanted.length - 1)]
    if (first === undefined || last === undefined) return []
    const range = document.createRange()
    range.setStart(first.node, Math.min(at - first.start, first.node.length))
    range.setEnd(last.node, Math.min(at + wanted.length - last.start, last.node.length))
    return [range]
  })
}

const nodeAt = (nodes: Layer['nodes'], at: number) => nodes.findLast(({ start }) => start <= at)
