import { expect, test } from 'bun:test'
import { wordsOf } from './words.ts'

test.each([
  ['ls -a', ['ls', '-a']],
  ['  ls   -a ', ['ls', '-a']],
  ['ls "a b.txt"', ['ls', 'a b.txt']],
  [`echo 'it is "so"'`, ['echo', 'it is "so"']],
  ['echo "say \\"hi\\" $HOME \\n"', ['echo', 'say "hi" $HOME \\n']],
  ['echo a\\ b', ['echo', 'a b']],
  ['echo ""', ['echo', '']],
  ['echo a"b"\'c\'', ['echo', 'abc']],
  ['echo hi # a comment', ['echo', 'hi']],
  ['echo a#b', ['echo', 'a#b']],
  ['echo $(id); rm x | cat > y', ['echo', '$(id);', 'rm', 'x', '|', 'cat', '>', 'y']],
  ['', []],
])('%j is %j', (line, words) => {
  expect(wordsOf(line)).toEqual(words)
})

test.each(['echo "open', "echo 'open", 'echo end\\'])('%j is refused with its reason', (line) => {
  expect(() => wordsOf(line)).toThrow('error parsing command')
})
