import { expect, test } from 'bun:test'
import { keyMeaning, optionStarting } from './folder-options.ts'

const key = (name: string, altKey = false) => ({ key: name, altKey, ctrlKey: false, metaKey: false })
const options = ['..', 'Archive', 'Apples', 'Photos'].map((name) => ({ name, path: `/${name}` }))

test('arrows that point along the text go in and up, whichever way the text runs', () => {
  expect(keyMeaning(key('ArrowRight'), false)?.kind).toBe('in')
  expect(keyMeaning(key('ArrowRight'), true)?.kind).toBe('up')
  expect(keyMeaning(key('ArrowUp', true), false)?.kind).toBe('up')
})

test('keys of the browser and of the dialog are left alone', () => {
  expect(keyMeaning({ ...key('a'), ctrlKey: true }, false)).toBeNull()
  expect(keyMeaning(key('Escape'), false)).toBeNull()
  expect(keyMeaning(key('Tab'), false)).toBeNull()
})

test('typing finds what begins so, and the same letter again the next', () => {
  expect(optionStarting(options, 'a', -1)?.name).toBe('Archive')
  expect(optionStarting(options, 'a', 1)?.name).toBe('Apples')
  expect(optionStarting(options, 'a', 2)?.name).toBe('Archive')
  expect(optionStarting(options, 'ap', 1)?.name).toBe('Apples')
  expect(optionStarting(options, 'x', 0)).toBeUndefined()
})
