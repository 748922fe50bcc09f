/**
 * How far two texts are compared letter by letter before the comparison becomes coarser: a page that compares two texts of
 * ten thousand different lines must not stop. `timeout` is in milliseconds.
 */
export const diffLimits = { scanLimit: 2000, timeout: 400 }
