import type { Page } from '@playwright/test'
import { findBarriersInBothThemes } from '../barriers.ts'
import { listenForComplaints } from '../complaints.ts'
import { expect, test } from '../product.ts'
import { film } from '../samples/film.ts'
import { picture } from '../samples/picture.ts'
import { recording } from '../samples/recording.ts'
import { open, show, titleIn } from '../viewer.ts'

test.beforeEach(({ product }) =>
  product.put({
    'Films/walk.webm': film,
    'Films/walk.en.vtt': 'WEBVTT\n\n00:00.000 --> 00:29.000\nThe west field\n',
    'Films/walk.de.srt': '1\n00:00:00,000 --> 00:00:29,000\nDas Westfeld\n',
    'Films/way back.webm': film,
    'Music/01 rain.mp3': recording(2, { title: 'Rain on tin', artist: 'Weather', cover: picture(64, 64) }),
    'Music/02 wind.mp3': recording(60),
    'Broken/broken.webm': 'this is no film at all',
    'Broken/whole.webm': film,
  }),
)

const film1 = (page: Page) => page.locator('video[aria-label="walk.webm"]')

test('a film plays, skips and changes its speed', async ({ page, product }) => {
  const complaints = await listenForComplaints(page)
  await show(page, product, 'Films/walk.webm')
  await expect(page.getByRole('region', { name: 'Preview' })).toHaveAttribute('data-preview-type', 'video')
  const video = film1(page)
  await expect.poll(() => video.evaluate((element: HTMLVideoElement) => element.duration)).toBeGreaterThan(29)

  await page.getByRole('button', { name: 'Play' }).click()
  await expect(video).toHaveJSProperty('paused', false)
  await page.keyboard.press('k')
  await expect(video).toHaveJSProperty('paused', true)
  const before = await time(page)
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => time(page)).toBeCloseTo(before + 10, 0)
  await page.getByRole('button', { name: 'Back 10 seconds' }).click()
  await expect.poll(() => time(page)).toBeCloseTo(before, 0)

  await page.getByRole('combobox', { name: 'Speed' }).selectOption('1.5×')
  await expect(video).toHaveJSProperty('playbackRate', 1.5)
  expect(complaints).toEqual([])
})

test('keys change mute and volume, and do not leave the film', async ({ page, product }) => {
  await show(page, product, 'Films/walk.webm')
  const video = film1(page)
  await expect(page.getByRole('button', { name: 'Play' })).toBeVisible()
  await page.keyboard.press('m')
  await expect(video).toHaveJSProperty('muted', true)
  await expect(page.getByRole('button', { name: 'Mute' })).toHaveAttribute('aria-pressed', 'true')
  await page.keyboard.press('ArrowDown')
  await expect(video).toHaveJSProperty('volume', 0.9)
  await page.keyboard.press('ArrowRight')
  await expect(titleIn(page)).toHaveText('walk.webm')
  await page.keyboard.press('Enter')
  await expect(titleIn(page)).toHaveText('way back.webm')
})

test('arrow keys seek also where the player was loaded late', async ({ page, product }) => {
  await page.route(/VideoViewer[^/]*\.js$/, async (route) => {
    await expect(page.getByRole('button', { name: 'Next' })).toBeVisible()
    await route.continue()
  })
  await show(page, product, 'Films/walk.webm')
  await expect.poll(() => film1(page).evaluate((video: HTMLVideoElement) => video.readyState)).toBeGreaterThan(0)
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => time(page)).toBeCloseTo(10, 0)
  await expect(titleIn(page)).toHaveText('walk.webm')
})

test('arrow keys step on from a film that cannot be played', async ({ page, product }) => {
  await show(page, product, 'Broken/broken.webm')
  await expect(page.getByRole('alert')).toContainText('Preview is not available')
  await page.keyboard.press('ArrowRight')
  await expect(titleIn(page)).toHaveText('whole.webm')
})

test('subtitles beside the film can be selected', async ({ page, product }) => {
  await show(page, product, 'Films/walk.webm')
  await expect(film1(page).locator('track')).toHaveCount(2)
  const cue = (label: string) =>
    film1(page).evaluate((video: HTMLVideoElement, wanted) => {
      const track = [...video.textTracks].find((candidate) => candidate.label === wanted)
      const text = (track?.cues?.[0] as VTTCue | undefined)?.text ?? null
      return { mode: track?.mode, text }
    }, label)
  await expect.poll(() => cue('walk.de')).toEqual({ mode: 'showing', text: 'Das Westfeld' })

  const choice = page.getByRole('combobox', { name: 'Subtitles' })
  await choice.selectOption('walk.en')
  await expect.poll(() => cue('walk.en')).toEqual({ mode: 'showing', text: 'The west field' })
  await choice.selectOption('Off')
  await expect.poll(() => cue('walk.en').then(({ mode }) => mode)).toBe('disabled')
})

test('a film starts at the position where it was left', async ({ page, product }) => {
  await show(page, product, 'Films/walk.webm')
  await expect.poll(() => film1(page).evaluate((video: HTMLVideoElement) => video.readyState)).toBeGreaterThan(0)
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => time(page)).toBeCloseTo(10, 0)
  await open(page, product, 'Films/way back.webm')
  await open(page, product, 'Films/walk.webm')
  await expect.poll(() => time(page)).toBeCloseTo(10, 0)
})

test('the next film starts by itself only while one plays', async ({ page, product }) => {
  await show(page, product, 'Films/walk.webm')
  await page.getByRole('button', { name: 'Next' }).click()
  const second = page.locator('video[aria-label="way back.webm"]')
  await expect(second).toHaveJSProperty('paused', true)
  await page.getByRole('button', { name: 'Play' }).click()
  await expect(second).toHaveJSProperty('paused', false)
  await page.mouse.move(300, 300)
  await page.getByRole('button', { name: 'Previous' }).click()
  await expect(film1(page)).toHaveJSProperty('paused', false)
})

test('a recording shows title and cover, then the next one plays', async ({ page, product }) => {
  const complaints = await listenForComplaints(page)
  await show(page, product, 'Music/01 rain.mp3')
  const region = page.getByRole('region', { name: 'Preview' })
  await expect(region).toHaveAttribute('data-preview-type', 'audio')
  await expect(region.getByRole('heading', { name: 'Rain on tin' })).toBeVisible()
  await expect(region).toContainText('Weather')
  await expect(region.locator('img[src^="blob:"]')).toHaveJSProperty('naturalWidth', 64)
  const queue = page.getByRole('navigation', { name: 'In this folder' })
  await expect(queue.getByRole('link')).toHaveText([/01 rain/, /02 wind/])

  await page.getByRole('button', { name: 'Play' }).click()
  await expect(titleIn(page)).toHaveText('02 wind.mp3')
  await expect(page.locator('audio[aria-label="02 wind.mp3"]')).toHaveJSProperty('paused', false)
  expect(complaints).toEqual([])
})

test('a film that the browser cannot play shows a message', async ({ page, product }) => {
  await show(page, product, 'Broken/broken.webm')
  await expect(page.getByRole('alert')).toContainText('Preview is not available')
  await expect(page.getByRole('link', { name: 'Download' })).toBeVisible()
})

test('axe finds nothing in the players', async ({ page, product }) => {
  await show(page, product, 'Films/walk.webm')
  await expect(page.getByRole('button', { name: 'Play' })).toBeVisible()
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await open(page, product, 'Music/01 rain.mp3')
  await expect(page.getByRole('heading', { name: 'Rain on tin' })).toBeVisible()
  expect(await findBarriersInBothThemes(page)).toEqual([])
})

test('on a phone the controls of the players are in view', async ({ page, product }) => {
  await show(page, product, 'Music/01 rain.mp3', 390)
  await expect(page.getByRole('button', { name: 'Play' })).toBeInViewport()
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  await open(page, product, 'Films/walk.webm')
  await expect(page.getByRole('button', { name: 'Full screen' })).toBeInViewport()
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
})

const time = (page: Page) => film1(page).evaluate((video: HTMLVideoElement) => video.currentTime)
