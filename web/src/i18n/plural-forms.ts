/**
 * Gives a counted text the forms that this browser may ask for and the file lacks. Browsers differ in what they know:
 * newer ones have a form for whole millions in French, and without it i18next would say the English sentence.
 */
export function fillForms(texts: object, tag: string): object {
  const forms = new Intl.PluralRules(tag).resolvedOptions().pluralCategories
  return Object.fromEntries(
    Object.entries(texts).flatMap(([key, text]) => {
      if (typeof text === 'object') return [[key, fillForms(text, tag)]]
      if (!key.endsWith('_other')) return [[key, text]]
      const stem = key.slice(0, -'other'.length)
      return forms.map((form) => [stem + form, Reflect.get(texts, stem + form) ?? text])
    }),
  )
}
