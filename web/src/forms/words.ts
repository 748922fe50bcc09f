/** 'git  rsync ' are two words. */
export const wordsIn = (text: string): string[] => text.split(' ').filter(Boolean)

/** One command per line; empty lines are none. */
export const linesIn = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
