import { expect, test } from 'bun:test'
import '../../i18n/english.test-setup.ts'
import { exposureText } from './photo-facts.ts'

test('an exposure is told as cameras tell it, as far as it is known', () => {
  expect(exposureText({ exposure: 1 / 250, aperture: 2.8, iso: 200, focalLength: 35 })).toBe(
    '1/250 s · f/2.8 · ISO 200 · 35 mm',
  )
  expect(exposureText({ exposure: 2.5, iso: 1600 })).toBe('2.5 s · ISO 1600')
  expect(exposureText({ camera: 'Lumen L1' })).toBeNull()
})
