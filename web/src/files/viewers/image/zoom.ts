/** Zoom and movement of an image on its stage. The zoom is relative to the size that fits; x and y are CSS pixels. */
export interface Transform {
  zoom: number
  x: number
  y: number
}

export interface Size {
  width: number
  height: number
}

export const fitting: Transform = { zoom: 1, x: 0, y: 0 }

export const minZoom = 0.25

/** The size at which the whole image shows. A small one is not enlarged, unless it is a drawing. */
export function fit(image: Size, stage: Size, isDrawing = false): Size {
  if (image.width === 0 || image.height === 0) return { width: 0, height: 0 }
  const largest = isDrawing ? Number.POSITIVE_INFINITY : 1
  const factor = Math.min(largest, stage.width / image.width, stage.height / image.height)
  return { width: image.width * factor, height: image.height * factor }
}

export const turned = ({ width, height }: Size, quarters: number): Size =>
  quarters % 2 === 0 ? { width, height } : { width: height, height: width }

/** Far enough to count pixels, whatever the size of the image. */
export const maxZoom = (natural: Size, fitted: Size): number =>
  fitted.width === 0 ? 8 : Math.max(8, (4 * natural.width) / fitted.width)

/** Zooms so that what is under a point (from the middle of the stage) stays under it. */
export function zoomAt(
  transform: Transform,
  wanted: number,
  point: { x: number; y: number },
  limit: number,
): Transform {
  const zoom = round(Math.min(limit, Math.max(minZoom, wanted)))
  const factor = zoom / transform.zoom
  return { zoom, x: point.x - (point.x - transform.x) * factor, y: point.y - (point.y - transform.y) * factor }
}

/** No edge of the image comes further in than the edge of the stage; what fits is centred. */
export function keepInside(transform: Transform, fitted: Size, stage: Size): Transform {
  const room = (shown: number, space: number) => Math.max(0, (shown * transform.zoom - space) / 2)
  return {
    zoom: transform.zoom,
    x: clamp(transform.x, room(fitted.width, stage.width)),
    y: clamp(transform.y, room(fitted.height, stage.height)),
  }
}

/** The part of the screen's pixels that one pixel of the image takes at a zoom: 1 where each has one of its own. */
export const pixelScale = (zoom: number, image: Size, fitted: Size, density: number): number =>
  image.width === 0 ? 1 : (fitted.width * zoom * density) / image.width

/** How much a loaded image may be enlarged before the file itself is worth loading. */
const softAt = 1.3

/** Would the loaded image look blurred at this width on the screen? */
export const isSoft = (shownWidth: number, density: number, loadedWidth: number): boolean =>
  loadedWidth > 0 && shownWidth * density > loadedWidth * softAt

/** A double click goes 1 → 2 → 4 → 1. */
export const nextStop = (zoom: number): number => (zoom < 2 ? 2 : zoom < 4 ? 4 : 1)

const clamp = (value: number, limit: number): number => Math.min(limit, Math.max(-limit, value))

const round = (value: number): number => Math.round(value * 10_000) / 10_000
