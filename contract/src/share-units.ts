/** The units of the duration of a link. */
export const shareUnits = ['seconds', 'minutes', 'hours', 'days'] as const
export type ShareUnit = (typeof shareUnits)[number]
