/** Phones, and some computers, have a sheet of programs that take a link. */
export const canSendLinks = (): boolean => 'share' in navigator

/** Opens that sheet. It is closed without sending as often as not, which is no failure. */
export const sendLink = (title: string, url: string): void => void navigator.share({ title, url }).catch(() => {})
