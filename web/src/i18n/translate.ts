import type en from './en.json'
import { inSentence } from './placeholders.ts'

type Stem<Key extends string> = Key extends `${infer Text}_${'one' | 'other'}` ? Text : Key

type KeysOf<Texts, Prefix extends string = ''> = {
  [Key in keyof Texts & string]: Texts[Key] extends string
    ? `${Prefix}${Stem<Key>}`
    : KeysOf<Texts[Key], `${Prefix}${Key}.`>
}[keyof Texts & string]

/** Every text of the client has a key, and a key that does not exist does not compile. */
export type TextKey = KeysOf<typeof en>

/** What goes into the placeholders. */
interface Values {
  /** Chooses the plural form as well. */
  count?: number
  /** Shown instead of the values that chose the form. */
  replace?: Record<string, unknown>
  [name: string]: unknown
}

export type Translate = (key: TextKey, values?: Values) => string

interface Language {
  texts: object
  /** For plural forms. */
  plurals: string
  /** For numbers: the tag of the region. */
  tag: string
  direction: 'ltr' | 'rtl'
}

/** A text that is missing is its key. */
export function translator({ texts, plurals, tag, direction }: Language): Translate {
  const rules = new Intl.PluralRules(plurals)
  return (key, values = {}) => {
    const { count, replace } = values
    // Browsers differ in the forms that they know: newer ones have one for whole millions in French.
    const forms = typeof count === 'number' ? [`${key}_${rules.select(count)}`, `${key}_other`, key] : [key]
    const text = forms.map((form) => textAt(texts, form)).find((found) => found !== undefined)
    const given = { ...values, ...replace }
    return (text ?? key).replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) =>
      String(inSentence(given[name], tag, direction)),
    )
  }
}

function textAt(texts: object, key: string): string | undefined {
  let found: unknown = texts
  for (const part of key.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, part)) return undefined
    found = Reflect.get(found, part)
  }
  return typeof found === 'string' ? found : undefined
}
