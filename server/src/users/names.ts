/**
 * Can a name be shown as it is? Control characters, line ends, marks that turn the direction of writing around, and halves
 * of characters could make it look like another, or break the lines of a log.
 */
export const isShowable = (name: string): boolean =>
  !/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202a-\u202e\u2066-\u2069\u200e\u200f]/u.test(name)
