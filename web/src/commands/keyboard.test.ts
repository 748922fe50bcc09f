import { expect, test } from 'bun:test'

Object.assign(globalThis, {
  window: new EventTarget(),
  localStorage: { getItem: () => null, setItem: () => {}, removeItem: () => {} },
})
const { shownKeys } = await import('./command-keys.ts')
const { writtenKeys } = await import('./keyboard.ts')

const pressed = (key: string, code: string, modifiers: Partial<KeyboardEvent> = {}): string =>
  writtenKeys({
    key,
    code,
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    shiftKey: false,
    ...modifiers,
  } as KeyboardEvent)

test.each([
  ['a Latin letter', pressed('s', 'KeyS', { ctrlKey: true }), 'Mod+S'],
  ['a Russian letter by its position', pressed('ы', 'KeyS', { ctrlKey: true }), 'Mod+S'],
  ['a Hebrew letter by its position', pressed('ד', 'KeyS', { metaKey: true }), 'Mod+S'],
  ['a letter of Dvorak by what is printed on it', pressed('s', 'Semicolon', { ctrlKey: true }), 'Mod+S'],
  ['a letter under Caps Lock', pressed('A', 'KeyA', { ctrlKey: true }), 'Mod+A'],
  ['a letter alone', pressed('K', 'KeyK'), 'k'],
  ['three keys', pressed('F', 'KeyF', { ctrlKey: true, shiftKey: true }), 'Mod+Shift+F'],
  ['a sign that needs Shift on some keyboards', pressed('?', 'Slash', { shiftKey: true }), '?'],
  ['the question mark of an Arabic keyboard', pressed('؟', 'Slash', { shiftKey: true }), '?'],
  ['a key with a name', pressed('F10', 'F10', { shiftKey: true }), 'Shift+F10'],
  ['an arrow', pressed('ArrowUp', 'ArrowUp', { altKey: true }), 'Alt+ArrowUp'],
])('%s', (_, written, expected) => {
  expect(written).toBe(expected)
})

test('keys are shown as they are printed on the keyboard', () => {
  expect(['Mod+Shift+F', 'Mod+S', 'F2', '+'].map((keys) => shownKeys(keys, false))).toEqual([
    'Ctrl+Shift+F',
    'Ctrl+S',
    'F2',
    '+',
  ])
  expect(['Mod+Shift+F', 'Mod+Enter', 'Delete', '+'].map((keys) => shownKeys(keys, true))).toEqual([
    '⇧⌘F',
    '⌘↩',
    '⌦',
    '+',
  ])
})
