import type { Axis } from '../curves/curve.ts'

/** Milliseconds, or seconds from one second on. */
export function toDuration(ms: number): string {
  return ms >= 1000 ? `${plain(ms / 1000)} s` : `${plain(ms)} ms`
}

/** Two or three figures, without zeros at the end. */
export function plain(value: number): string {
  if (!Number.isFinite(value)) return '-'
  const digits = value >= 100 ? Math.round(value) : Number(value.toPrecision(2))
  return digits.toLocaleString('en', { maximumFractionDigits: 6 })
}

export function toRatio(ratio: number): string {
  return `${plain(ratio)}×`
}

export function toBytes(bytes: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB']
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3 + 1e-9), units.length - 1)
  return `${plain(bytes / 1000 ** power)} ${units[power]}`
}

export function toSize(size: number, axis: Axis): string {
  if (axis === 'bytes') return toBytes(size)
  return size === 1_000_000 ? '1 million' : size.toLocaleString('en')
}
