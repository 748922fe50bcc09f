/**
 * Moves labels apart that would cover each other, each as little as possible, between two borders. Positions that are
 * too close become a block around their middle; blocks that touch become one.
 */
export function spread(wanted: readonly number[], gap: number, low: number, high: number): number[] {
  const order = wanted.map((_, index) => index).sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0))
  const blocks: { members: number[]; start: number }[] = []
  for (const index of order) {
    blocks.push({ members: [index], start: wanted[index] ?? 0 })
    for (
      let last = blocks.at(-1), before = blocks.at(-2);
      last && before;
      last = blocks.at(-1), before = blocks.at(-2)
    ) {
      if (before.start + before.members.length * gap <= last.start) break
      before.members.push(...last.members)
      blocks.pop()
      const starts = before.members.map((member, rank) => (wanted[member] ?? 0) - rank * gap)
      before.start = starts.reduce((sum, start) => sum + start, 0) / starts.length
    }
  }
  const placed = wanted.map(() => 0)
  const sorted = blocks.flatMap(({ members, start }) =>
    members.map((member, rank) => ({ member, at: start + rank * gap })),
  )
  for (const [rank, { member, at }] of sorted.entries()) {
    const room = high - (sorted.length - 1 - rank) * gap
    placed[member] = Math.max(Math.min(at, room), low + rank * gap)
  }
  return placed
}
