/** A million small headers as a few large blocks. */
export function growing() {
  const blocks: Uint8Array[] = []
  let fresh: Uint8Array[] = []
  const settle = () => {
    blocks.push(Buffer.concat(fresh))
    fresh = []
  }
  return {
    add(bytes: Uint8Array): void {
      if (fresh.push(bytes) === 1000) settle()
    },
    blocks(): Uint8Array[] {
      settle()
      return blocks
    },
  }
}
