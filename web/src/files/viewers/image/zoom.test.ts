import { expect, test } from 'bun:test'
import { fit, fitting, isSoft, keepInside, maxZoom, nextStop, pixelScale, turned, zoomAt } from './zoom.ts'

const stage = { width: 1000, height: 500 }

test('fit shrinks a large image, and keeps the size of a small one', () => {
  expect(fit({ width: 4000, height: 1000 }, stage)).toEqual({ width: 1000, height: 250 })
  expect(fit({ width: 40, height: 10 }, stage)).toEqual({ width: 40, height: 10 })
  expect(fit({ width: 0, height: 0 }, stage)).toEqual({ width: 0, height: 0 })
})

test('a drawing fills the stage, however small it says it is', () => {
  expect(fit({ width: 100, height: 100 }, stage, true)).toEqual({ width: 500, height: 500 })
})

test('the scale counts pixels of the image and of the screen, not the size that fits', () => {
  const [image, fitted] = [
    { width: 1067, height: 1600 },
    { width: 490, height: 735 },
  ]
  expect(pixelScale(1, image, fitted, 1)).toBeCloseTo(0.46)
  expect(pixelScale(1, image, fitted, 2)).toBeCloseTo(0.92)
  expect(pixelScale(1067 / 490, image, fitted, 1)).toBeCloseTo(1)
  expect(pixelScale(1, { width: 0, height: 0 }, fitted, 1)).toBe(1)
})

test('an image is soft where the screen shows many more pixels than it has', () => {
  expect([isSoft(1140, 1, 1080), isSoft(1140, 2, 1080), isSoft(1140, 2, 0)]).toEqual([false, true, false])
})

test('turned swaps the sides for a quarter turn', () => {
  expect(turned({ width: 3, height: 2 }, 1)).toEqual({ width: 2, height: 3 })
  expect(turned({ width: 3, height: 2 }, 2)).toEqual({ width: 3, height: 2 })
})

test('zoomAt keeps what is under the pointer under it', () => {
  const point = { x: 200, y: -100 }
  const zoomed = zoomAt(fitting, 2, point, 8)
  // The spot 200 right of the middle is now twice as far from the image's middle, which moved left by as much.
  expect(zoomed).toEqual({ zoom: 2, x: -200, y: 100 })
  expect(zoomAt(zoomed, 1, point, 8)).toEqual({ zoom: 1, x: 0, y: 0 })
})

test('zoomAt stays within its limits', () => {
  expect(zoomAt(fitting, 100, { x: 0, y: 0 }, 8).zoom).toBe(8)
  expect(zoomAt(fitting, 0.01, { x: 0, y: 0 }, 8).zoom).toBe(0.25)
  expect(maxZoom({ width: 4000, height: 1 }, { width: 400, height: 1 })).toBe(40)
  expect(maxZoom({ width: 10, height: 10 }, { width: 10, height: 10 })).toBe(8)
})

test('keepInside moves an image back to the edge of the stage', () => {
  const fitted = { width: 1000, height: 250 }
  expect(keepInside({ zoom: 2, x: 9999, y: 9999 }, fitted, stage)).toEqual({ zoom: 2, x: 500, y: 0 })
  expect(keepInside({ zoom: 1, x: 30, y: 30 }, fitted, stage)).toEqual(fitting)
})

test('nextStop goes from 1 to 2, 4 and back to 1', () => {
  expect([1, 1.5, 2, 3, 4, 7].map(nextStop)).toEqual([2, 2, 4, 4, 1, 1])
})
