/** The units of the duration of a link. */
export const shareUnits = ['seconds', 'minutes', 'hours', 'days'] as const
export type ShareUnit = (typeof shareUnits)[number]

export const secondsInUnit: Readonly<Record<ShareUnit, number>> = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 }

/** The largest number of units, as in the form of the predecessor. In days it is five million years. */
export const longestShareDuration = 2_147_483_647

/** In characters. */
export const longestShareLabel = 100
