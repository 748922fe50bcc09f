/** What the duration of a link is counted in. */
export const shareUnits = ['seconds', 'minutes', 'hours', 'days'] as const
export type ShareUnit = (typeof shareUnits)[number]
