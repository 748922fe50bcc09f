import { expect, test } from 'bun:test'
import { renameEventHandlers } from './read-book.ts'

test.each([
  ['<p onclick="x()">once = 1, on fire</p>', '<p data-onclick="x()">once = 1, on fire</p>'],
  ["<img src='a>b' onerror='x' ONLOAD=y/>", "<img src='a>b' data-onerror='x' data-onLOAD=y/>"],
  ['<svg\nonload = "x">', '<svg\ndata-onload = "x">'],
  ['<a href="?on=1" class="on">on</a>', '<a href="?on=1" class="on">on</a>'],
  ['5 < 6 and onwards = 7 > 3', '5 < 6 and onwards = 7 > 3'],
])('renameEventHandlers changes attributes of tags alone: %j', (text, renamed) => {
  expect(renameEventHandlers(text)).toBe(renamed)
})
