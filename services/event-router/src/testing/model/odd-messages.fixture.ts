/** Ids of messages that fare otherwise than most begin so, up to the first hyphen. */
export const PLAIN = 'm';
/** The application refuses it for good. */
export const REFUSED = 'refused';
/** The application refuses it as if for our credentials. */
export const FORBIDDEN = 'forbidden';
/** The database cannot take its body. */
export const POISON = 'poison';
/** Functions cannot make anything of it. */
export const FAILING = 'failing';
/** Our own code fails with it, and with every other record that is with a function at the same time. */
export const CRASHING = 'crashing';

/** Of a message, by its id. */
export const kindOf = (messageId: string): string => messageId.slice(0, messageId.indexOf('-'));
