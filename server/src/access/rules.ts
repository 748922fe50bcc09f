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
  sees(path: VirtualPath): boolean
  /** The same for many names of one folder, whose own verdict is found once; `everyName` where none has to be checked. */
  inFolder(folder: VirtualPath): NameTest
  /** Could something below this folder be denied? If not, the tree below it need not be read. */
  mayDenyBelow(folder: VirtualPath): boolean
  /** Could something at or below this path be seen though the folder above is denied? */
  maySeeBelow(folder: VirtualPath): boolean
  /** The rules alone: a hidden file goes along when its folder is moved, a denied one forbids the move. */
  permits(path: VirtualPath): boolean
  /** Does a rule deny this very path? Enough for a walk that comes from a permitted folder, name by name. */
  denies(path: VirtualPath): boolean
}

export type NameTest = (name: string) => boolean

/** Known by identity: where it is the test, no name is hidden. */
export const everyName: NameTest = () => true
/** The same: where it is the test, dotfiles are hidden and nothing else. */
export const withoutDot: NameTest = (name) => !name.startsWith('.')

/**
 * The visibility for these rules. It depends on nothing else, so it is kept, with its verdicts, for the requests that
 * follow; changed rules are another key.
 */
export function visibilityOf(
  rules: readonly Rule[],
  hideDotfiles: boolean,
  files: { readonly foldsCase: boolean },
): Visibility {
  if (rules.length === 0) return hideDotfiles ? withoutDotfiles : withoutRules
  const { foldsCase } = files
  const key = `${hideDotfiles} ${foldsCase} ${JSON.stringify(rules)}`
  const visibility = cached.get(key) ?? new RuleVisibility(rules, hideDotfiles, foldsCase)
  // Deleted and set, so that the first key is always the one that was not asked for longest.
  cached.delete(key)
  cached.set(key, visibility)
  if (cached.size > mostCached) cached.delete(cached.keys().next().value ?? key)
  return visibility
}

/** LRU cache: an entry ends when so many others were asked for since. */
const cached = new Map<string, Visibility>()
const mostCached = 100
/**
 * In bytes, about: so much of verdicts is kept with each of them, and the oldest go first. Long paths are kept, too: a folder
 * deep in a tree is judged by the verdict of the one above, and without that by all above.
 */
const mostKept = 256 * 1024
const sizeOf = (path: string): number => path.length + 64

class RuleVisibility implements Visibility {
  readonly #hideDotfiles: boolean
  readonly #tests: readonly Test[]
  readonly #patternTests: readonly Test[]
  readonly #verdicts = new Map<string, boolean>()
  #kept = 0

  constructor(rules: readonly Rule[], hideDotfiles: boolean, foldsCase: boolean) {
    this.#hideDotfiles = hideDotfiles
    this.#tests = rules.map((rule) => testOf(rule, foldsCase))
    this.#patternTests = this.#tests.filter(({ isPattern }) => isPattern)
  }

  sees(path: VirtualPath): boolean {
    return this.#isShown(path) && this.permits(path)
  }

  permits(path: VirtualPath): boolean {
    if (this.#tests.length === 0) return true
    let allowed = this.#verdicts.get(path)
    if (allowed === undefined) {
      allowed = verdict(this.#tests, path) ?? this.#inherited(path)
      this.#keep(path, allowed)
    }
    return allowed
  }

  #keep(path: string, allowed: boolean): void {
    this.#verdicts.set(path, allowed)
    this.#kept += sizeOf(path)
    for (const oldest of this.#verdicts.keys()) {
      if (this.#kept <= mostKept) return
      this.#verdicts.delete(oldest)
      this.#kept -= sizeOf(oldest)
    }
  }

  denies(path: VirtualPath): boolean {
    return verdict(this.#tests, path) === false
  }

  inFolder(folder: VirtualPath): NameTest {
    const tests = this.#tests
    const hideDotfiles = this.#hideDotfiles
    if (tests.length === 0) return hideDotfiles ? withoutDot : everyName
    const isPermitted = folder === '/' || this.permits(folder)
    return (name) => !(hideDotfiles && name.startsWith('.')) && (verdict(tests, join(folder, name)) ?? isPermitted)
  }

  maySeeBelow(folder: VirtualPath): boolean {
    return this.#isShown(folder) && this.#tests.some((test) => test.allow && test.concernsBelow(folder))
  }

  mayDenyBelow(folder: VirtualPath): boolean {
    return this.#tests.some((test) => !test.allow && test.concernsBelow(folder))
  }

  /** From the nearest folder above that a rule is about. A plain rule about a folder fits all below, so patterns remain. */
  #inherited(path: string): boolean {
    if (this.#patternTests.length === 0) return true
    // The root's own verdict is about the root: a rule like '^/$' is no rule about everything.
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const folder = path.slice(0, end)
      const allowed = this.#verdicts.get(folder) ?? verdict(this.#patternTests, folder)
      if (allowed !== undefined) return allowed
    }
    return true
  }

  #isShown(path: string): boolean {
    return !this.#hideDotfiles || !path.includes('/.')
  }
}

const withoutRules: Visibility = new RuleVisibility([], false, false)
const withoutDotfiles: Visibility = new RuleVisibility([], true, false)

const verdict = (tests: readonly Test[], path: string): boolean | undefined =>
  tests.findLast(({ matches }) => matches(path))?.allow

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
  const raw = regexp?.raw ?? ''
  const pattern = compiled(raw)
  // A pattern that cannot be compiled must not open what it was meant to close.
  if (pattern === null) return () => !allow
  const matches = (path: string) => pattern.matcher(path).find()
  if (allow) return matches
  const other = compiled(`${foldsCase ? '(?i)' : ''}${composed(raw)}`)
  const matchesOther = (path: string) => other === null || other.matcher(path).find()
  if (foldsCase) return (path) => matches(path) || matchesOther(path) || matchesOther(bare(path)) || isShortened(path)
  return (path) => matches(path) || (!isPlain(path) && matchesOther(composed(path)))
}

const asWritten = (path: string): string => path

/** NFC: an umlaut may be stored as one letter or as a letter with a mark, which cannot be seen when a rule is written. */
const composed = (path: string): string => path.normalize('NFC')

/** As volumes that fold case read a name: invisible characters do not count, nor do dots and blanks at its end. */
const bare = (path: string): string =>
  composed(path.replace(/\p{Default_Ignorable_Code_Point}/gu, '')).replace(/[. ]+(?=\/|$)/g, '')

/** Nor do capitals. By way of both cases, because 'ß' is 'SS' there, and 'ς' is 'σ'. */
export const folded = (path: string): string => bare(path).toLowerCase().toUpperCase()

/** A short name (PRIVAT~1) is another name for any entry on such a volume. */
export const isShortened = (path: string): boolean => /\/[^/.]{1,6}~\d+(\.[^/]{0,3})?(?=\/|$)/.test(path)

const isPlain = (text: string): boolean => !/[^ -~]/.test(text)

/** 'private', '/private', '/private/' and '/x/../private' are one rule. */
const normalised = (path: string): string => posix.join('/', path).replace(/(?<=.)\/$/, '')

/** Cache of compiled patterns; the older half goes when it is full. A compiled one takes some kilobytes. */
const patterns = new Map<string, RE2JS | null>()
/** More than the rules of any instance: where those in use do not fit, they are compiled again and again. */
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
