/** Prefixes of message ids, up to the first hyphen, that determine how a message is treated; this one: normally. */
export const PLAIN = 'm';
/** The destination answers 400. */
export const REFUSED = 'refused';
/** The destination answers 403. */
export const FORBIDDEN = 'forbidden';
/** The database refuses its body. */
export const POISON = 'poison';
/** Functions fail with it. */
export const FAILING = 'failing';
/** Our own code fails with it, and with every other record of the same call of a function. */
export const CRASHING = 'crashing';

/** The prefix of a message id. */
export const kindOf = (messageId: string): string => messageId.slice(0, messageId.indexOf('-'));
