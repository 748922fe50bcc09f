import { expect, test } from 'bun:test'
import { namesKept } from './reserved-names.ts'

const isKept = namesKept(['own'], ['filestead.db', '.filestead.', 'data'])

test.each([
  ...['own', 'OWN', 'Own.', 'own . ', 'filestead.db', 'FILESTEAD.DB-wal', 'filestead.db2', 'filestead.db (1)'],
  ...[
    '.filestead.json',
    '.Filestead.YAML~',
    'file\u017ftead.db',
    'file\u200bstead.db',
    '\u200bown',
    '\uff46ilestead.db',
  ],
  ...['data', 'data-wal', 'data.old', 'DATA~', 'data (copy)'],
])('%j is kept', (name) => {
  expect(isKept(name)).toBe(true)
})

test.each([
  ...['owner', 'my own', 'filestead.d', 'afilestead.db', 'filestead', '.filestead', '.filestead-draft-1'],
  ...['database.txt', 'data2', 'Datä', '', '.', 'x'],
])('%j is free', (name) => {
  expect(isKept(name)).toBe(false)
})
