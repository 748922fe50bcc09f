import { posix } from 'node:path'
import { isInside, join, type Rule } from '@filestead/contract'
import { RE2JS } from 're2js'
import { Failure } from '../failure.ts'
import type { VirtualPath } from '../storage/path.ts'

/**
 * What the rules and the wish to hide dotfiles leave visible. The last rule that matches a path decides; where none
 * matches, what holds for the folder above holds below it too.
 */
export interface Visibility {
  /** Nobody has to be asked. */
  readonly hidesNothing: boolean
  sees(path: VirtualPath): boolean
  /** The same for many names of one folder, which is asked only once. */
  inFolder(folder: VirtualPath): (name: string) => boolean
  /** Could something below this folder be denied? If not, nobody has to look. */
  mayDenyBelow(folder: VirtualPath): boolean
  /** Could something at or below this path be seen though the folder above is denied? */
  maySeeBelow(folder: VirtualPath): boolean
  /** The rules alone: a hidden file goes along when its folder is moved, a denied one forbids the move. */
  permits(path: VirtualPath): boolean
  /** Does a rule deny this very path? Enough for whoever comes from a folder that is permitted, name by name. */
  denies(path: VirtualPath): boolean
}

/** So many verdicts are kept for those that ask about the same folders again and again. */
const mostKnown = 1000

export function visibilityOf(
  rules: readonly Rule[],
  hideDotfiles: boolean,
  storage: { readonly foldsCase: boolean },
): Visibility {
  const foldsCase = rules.length > 0 && storage.foldsCase
  const tests = rules.map((rule) => testOf(rule, foldsCase))

  const patternTests = tests.filter(({ isPattern }) => isPattern)
  const known = new Map<string, boolean>()

  const verdictOf = (tests: readonly Test[], path: string): boolean | undefined =>
    tests.findLast(({ matches }) => matches(path))?.allow
  const verdict = (path: string): boolean | undefined => verdictOf(tests, path)

  function permits(path: string): boolean {
    if (tests.length === 0) return true
    let allowed = known.get(path)
    if (allowed === undefined) {
      allowed = verdict(path) ?? inherited(path)
      if (known.size >= mostKnown) known.delete(known.keys().next().value ?? path)
      known.set(path, allowed)
    }
    return allowed
  }

  /** From the nearest folder above that a rule is about. A plain rule about a folder fits all below, so patterns remain. */
  function inherited(path: string): boolean {
    if (patternTests.length === 0) return true
    // The root's own verdict is about the root: a rule like '^/$' is no rule about everything.
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const folder = path.slice(0, end)
      const allowed = known.get(folder) ?? verdictOf(patternTests, folder)
      if (allowed !== undefined) return allowed
    }
    return true
  }

  const isShown = (path: string) => !hideDotfiles || !path.includes('/.')

  return {
    hidesNothing: tests.length === 0 && !hideDotfiles,
    sees: (path) => isShown(path) && permits(path),
    permits,
    denies: (path) => verdict(path) === false,
    inFolder(folder) {
      const inherited = folder === '/' || permits(folder)
      return (name) =>
        !(hideDotfiles && name.startsWith('.')) && (tests.length === 0 || (verdict(join(folder, name)) ?? inherited))
    },
    maySeeBelow: (folder) => isShown(folder) && tests.some((test) => test.allow && test.concernsBelow(folder)),
    mayDenyBelow: (folder) => tests.some((test) => !test.allow && test.concernsBelow(folder)),
  }
}

/** Rules as they are stored: paths absolute, patterns readable. Throws where a pattern is not. */
export function normaliseRules(rules: readonly Rule[]): Rule[] {
  return rules.map((rule) => {
    if (!rule.regex) return { ...rule, path: normalised(rule.path) }
    const raw = rule.regexp?.raw ?? ''
    if (compiled(raw) === null)
      throw new Failure('invalid', `the rule ${JSON.stringify(raw)} is not a valid expression`)
    return rule
  })
}

interface Test {
  readonly allow: boolean
  readonly isPattern: boolean
  matches(path: string): boolean
  /** Could it match something at or below this folder? */
  concernsBelow(folder: string): boolean
}

/** What denies holds for every spelling that leads to the same place; what allows, only as it is written. */
function testOf(rule: Rule, foldsCase: boolean): Test {
  const { allow } = rule
  if (rule.regex) return { allow, isPattern: true, matches: patternTest(rule, foldsCase), concernsBelow: () => true }
  const written = normalised(rule.path)
  const spell = allow ? asWritten : foldsCase ? folded : isPlain(written) ? asWritten : composed
  const place = spell(written)
  return {
    allow,
    isPattern: false,
    matches: (path) => isInside(spell(path), place) || (spell === folded && isShortened(path)),
    concernsBelow: (folder) => isInside(place, spell(folder)),
  }
}

function patternTest({ allow, regexp }: Rule, foldsCase: boolean): (path: string) => boolean {
  const pattern = compiled(regexp?.raw ?? '')
  // A pattern nobody can read must not open what it was meant to close.
  if (pattern === null) return () => !allow
  const matches = (path: string) => pattern.matcher(path).find()
  if (allow || !foldsCase) return matches
  const anyCase = compiled(`(?i)${regexp?.raw ?? ''}`)
  return (path) => matches(path) || anyCase?.matcher(path).find() !== false || isShortened(path)
}

const asWritten = (path: string): string => path

/** An umlaut is one letter here and a letter with a mark there; whoever writes a rule cannot see which. */
const composed = (path: string): string => path.normalize('NFC')

/** As volumes read a name that know neither capitals nor dots and blanks at the end. */
const folded = (path: string): string =>
  composed(path)
    .toLowerCase()
    .replace(/[. ]+(?=\/|$)/g, '')

/** PRIVAT~1 is another name for anything on such a volume. */
const isShortened = (path: string): boolean => /\/[^/.]{1,6}~\d+(\.[^/]{0,3})?(?=\/|$)/.test(path)

const isPlain = (text: string): boolean => !/[^ -~]/.test(text)

/** 'private', '/private', '/private/' and '/x/../private' are one rule. */
const normalised = (path: string): string => posix.join('/', path).replace(/(?<=.)\/$/, '')

/** Those of the rules in use, and of rules that have been changed since. A compiled one takes some kilobytes. */
const patterns = new Map<string, RE2JS | null>()
/** More than the rules of any instance: where those in use do not fit, every request compiles them all again. */
const mostPatterns = 20_000

function compiled(source: string): RE2JS | null {
  let pattern = patterns.get(source)
  if (pattern === undefined) {
    pattern = compile(source)
    if (patterns.size >= mostPatterns)
      for (const old of [...patterns.keys()].slice(0, mostPatterns / 2)) patterns.delete(old)
    patterns.set(source, pattern)
  }
  return pattern
}

function compile(source: string): RE2JS | null {
  try {
    return RE2JS.compile(source)
  } catch {
    return null
  }
}
