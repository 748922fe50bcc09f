import { expect, test } from 'bun:test'
import { element, escapeText, label, toInline } from './svg.ts'
import { toFile } from './theme.ts'

const hostile = `<script>"&'</script>`

test('text cannot become markup, in content or in an attribute', () => {
  expect(escapeText(hostile)).not.toMatch(/[<>"']|&(?!#)/)
  expect(label(1, 2, hostile)).toBe(`<text x="1" y="2">${escapeText(hostile)}</text>`)
  expect(element('svg', { 'aria-label': hostile })).toBe(`<svg aria-label="${escapeText(hostile)}"/>`)
})

test('numbers are short and what is undefined is left out', () => {
  expect(element('rect', { x: 1.23456, class: undefined })).toBe('<rect x="1.2"/>')
})

test('a plot is named for readers who do not see it, and a file brings its own colours', () => {
  const plot = { title: 'Cost', width: 100, height: 50, marks: ['<g/>'] }
  expect(toInline(plot)).toContain('role="img" aria-label="Cost"')
  expect(toInline(plot)).not.toContain('<style>')
  expect(toFile(plot)).toContain('prefers-color-scheme:dark')
  expect(toFile(plot)).toStartWith('<svg xmlns="http://www.w3.org/2000/svg"')
})
