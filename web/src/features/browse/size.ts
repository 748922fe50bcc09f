const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']

/** Binary units with at most two decimals: 163 B, 616.5 KiB. */
export function toSize(bytes: number): string {
  let unit = 0
  let amount = bytes
  // Past 1023.995 two decimals would round up to a full 1024 of the smaller unit.
  while (amount >= 1023.995 && unit < units.length - 1) {
    amount /= 1024
    unit += 1
  }
  return `${Number(amount.toFixed(2))} ${units[unit]}`
}
