/** Right leads on in most languages, left in those that are written from right to left. */
export const isRightToLeft = (): boolean => document.documentElement.dir === 'rtl'
