import { expect, test } from 'bun:test'
import { Table } from './table.ts'

const table = (text: string) => new Table(new TextEncoder().encode(text))
const names = (rows: { fields: string[] }[]) => rows.map(({ fields }) => fields[0])

test('the first record names the columns, longer rows add some', () => {
  const loaded = table('name,,city\nAnn,3,Oslo\nBo,4,Rome,extra\n').load({})
  expect(loaded).toMatchObject({ header: ['name', '', 'city', ''], rowCount: 2, separator: 'comma', encoding: 'utf-8' })
  expect(loaded.widths).toEqual([4, 1, 4, 5])
})

test('a byte order mark tells the encoding, a choice overrules it', () => {
  const wide = new Table(new Uint8Array([0xff, 0xfe, ...new Uint8Array(Buffer.from('ä;b\n1;2', 'utf16le'))]))
  expect(wide.load({})).toMatchObject({ encoding: 'utf-16le', header: ['ä', 'b'] })
  const latin = new Table(Uint8Array.of(0xe4, 0x2c, 0x62))
  expect(latin.load({ encoding: 'windows-1252' }).header).toEqual(['ä', 'b'])
})

test('sorts numbers by value and texts by the alphabet, both ways', () => {
  const sorted = table('n,v\nb,10\na,9\nc,-1,5\n')
  sorted.load({})
  sorted.arrange('', { column: 1, isDescending: false })
  expect(names(sorted.slice(0, 9))).toEqual(['c', 'a', 'b'])
  sorted.arrange('', { column: 0, isDescending: true })
  expect(names(sorted.slice(0, 9))).toEqual(['c', 'b', 'a'])
})

test('filters in every column and keeps the numbers of the rows', () => {
  const filtered = table('n,v\nApple,x\nPear,y\nPlum,apple\n')
  filtered.load({})
  expect(filtered.arrange('APPLE', null)).toBe(2)
  expect(filtered.slice(0, 9).map(({ number }) => number)).toEqual([1, 3])
  expect(filtered.arrange('', null)).toBe(3)
})

test('columns of numbers are told, whatever their empty fields and separators of thousands', () => {
  const table = new Table(new TextEncoder().encode('name;age;paid;mixed;none\nAda;36;1,234.50;1;\nBob;;-3,5;x;\n'))
  expect(table.load({ separator: 'semicolon' }).numeric).toEqual([false, true, true, false, false])
})
