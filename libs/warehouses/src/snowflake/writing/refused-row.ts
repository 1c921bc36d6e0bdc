/** The server quotes values between apostrophes, and names of columns, which mean nothing to anybody, between double quotes. */
const QUOTED = /'[^']*'|"[^"]*"|: .*$/gs;

/** The server's reason, without any value. */
export const reasonOf = ({ message }: Error): string =>
  message.replace(QUOTED, (text) => (text.startsWith(':') ? '' : '…'));
