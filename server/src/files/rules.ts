import { isInside, join, type Rule, segmentsOf } from '@filestead/contract'
import { RE2JS } from 're2js'
import { Failure } from '../failure.ts'
import type { VirtualPath } from './path.ts'

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
}

export function visibilityOf(rules: readonly Rule[], hideDotfiles: boolean): Visibility {
  const tests = rules.map((rule) => ({ allow: rule.allow, matches: matcherOf(rule), rule }))

  const verdict = (path: string): boolean | undefined => tests.findLast(({ matches }) => matches(path))?.allow

  function permits(path: string): boolean {
    if (tests.length === 0) return true
    let at = '/'
    let allowed = verdict(at) ?? true
    for (const [depth, name] of segmentsOf(path).entries()) {
      at = join(at, name)
      // The root's own verdict is about the root: a rule like '^/$' is no rule about everything.
      allowed = verdict(at) ?? (depth === 0 ? true : allowed)
    }
    return allowed
  }

  const isShown = (path: string) => !hideDotfiles || !path.includes('/.')

  return {
    hidesNothing: tests.length === 0 && !hideDotfiles,
    sees: (path) => isShown(path) && permits(path),
    permits,
    inFolder(folder) {
      const inherited = folder === '/' || permits(folder)
      return (name) =>
        !(hideDotfiles && name.startsWith('.')) && (tests.length === 0 || (verdict(join(folder, name)) ?? inherited))
    },
    maySeeBelow: (folder) =>
      isShown(folder) && rules.some((rule) => rule.allow && (rule.regex || isInside(normalised(rule.path), folder))),
    mayDenyBelow: (folder) =>
      rules.some((rule) => !rule.allow && (rule.regex || isInside(normalised(rule.path), folder))),
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

function matcherOf(rule: Rule): (path: string) => boolean {
  if (!rule.regex) {
    const folder = normalised(rule.path)
    return (path) => isInside(path, folder)
  }
  const pattern = compiled(rule.regexp?.raw ?? '')
  // A pattern nobody can read must not open what it was meant to close.
  return pattern === null ? () => !rule.allow : (path) => pattern.matcher(path).find()
}

/** 'private', '/private' and '/private/' are one rule. */
const normalised = (path: string): string => `/${path.split('/').filter(Boolean).join('/')}`

const patterns = new Map<string, RE2JS | null>()

function compiled(source: string): RE2JS | null {
  let pattern = patterns.get(source)
  if (pattern === undefined) {
    pattern = compile(source)
    if (patterns.size > 1000) patterns.clear()
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
