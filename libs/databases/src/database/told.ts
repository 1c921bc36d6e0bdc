/** Characters of a server's words that are passed on: it is not ours. */
const MAX_TOLD = 500;

/** NUL, and half a character. */
const UNCLEAN = /[\0\p{Cs}]/gu;

/** What a server said. Servers repeat names, never the password; but a name may be equal to it. */
export const told = (message: string, password: string): string =>
  (password === '' ? message : message.replaceAll(password, '••••'))
    .slice(0, MAX_TOLD)
    .replace(UNCLEAN, '\ufffd');
