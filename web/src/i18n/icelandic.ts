/**
 * Chromium knows how Icelandic counts, but neither its dates nor its times, and would write English ones into the
 * page. Norwegian writes numbers, dates and lists almost alike; the words for times are our own.
 */
const standIn = 'nb-IS'

/** The tag itself, or where this browser cannot write Icelandic, one that it can. */
export const supportedTag = (tag: string): string =>
  tag.split('-')[0] === 'is' && Intl.RelativeTimeFormat.supportedLocalesOf(tag).length === 0 ? standIn : tag

export const isStandIn = (tag: string): boolean => tag === standIn

let times: typeof import('./icelandic-times.ts') | undefined

/** Our own words for times are loaded where they are needed, so that other languages do not pay for them. */
export async function loadTimes(tag: string): Promise<void> {
  if (isStandIn(supportedTag(tag))) times ??= await import('./icelandic-times.ts')
}

/** Once `loadTimes` is done for the language. */
export const ownTimes = (tag: string): typeof times => (isStandIn(tag) ? times : undefined)
