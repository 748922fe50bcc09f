/** How a picture lies on its stage. All zooms are relative to the size that fits; moves are pixels of the screen. */
export interface Lie {
  zoom: number
  x: number
  y: number
}

export interface Size {
  width: number
  height: number
}

export const fitting: Lie = { zoom: 1, x: 0, y: 0 }

export const minZoom = 0.25

/** The size at which the whole picture shows; a small one is not blown up. */
export function fit(picture: Size, stage: Size): Size {
  if (picture.width === 0 || picture.height === 0) return { width: 0, height: 0 }
  const factor = Math.min(1, stage.width / picture.width, stage.height / picture.height)
  return { width: picture.width * factor, height: picture.height * factor }
}

export const turned = ({ width, height }: Size, quarters: number): Size =>
  quarters % 2 === 0 ? { width, height } : { width: height, height: width }

/** Far enough to count pixels, whatever the size of the picture. */
export const maxZoom = (natural: Size, fitted: Size): number =>
  fitted.width === 0 ? 8 : Math.max(8, (4 * natural.width) / fitted.width)

/** Zooms so that what lies under a point (from the middle of the stage) stays under it. */
export function zoomAt(lie: Lie, wanted: number, point: { x: number; y: number }, most: number): Lie {
  const zoom = round(Math.min(most, Math.max(minZoom, wanted)))
  const factor = zoom / lie.zoom
  return { zoom, x: point.x - (point.x - lie.x) * factor, y: point.y - (point.y - lie.y) * factor }
}

/** No edge of the picture comes further in than the edge of the stage; what fits lies in the middle. */
export function keepInside(lie: Lie, fitted: Size, stage: Size): Lie {
  const room = (shown: number, space: number) => Math.max(0, (shown * lie.zoom - space) / 2)
  return {
    zoom: lie.zoom,
    x: clamp(lie.x, room(fitted.width, stage.width)),
    y: clamp(lie.y, room(fitted.height, stage.height)),
  }
}

/** A double click goes 1 → 2 → 4 → 1. */
export const nextStop = (zoom: number): number => (zoom < 2 ? 2 : zoom < 4 ? 4 : 1)

const clamp = (value: number, most: number): number => Math.min(most, Math.max(-most, value))

const round = (value: number): number => Math.round(value * 10_000) / 10_000
