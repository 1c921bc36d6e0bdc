/** Of what one batch writes to its console, in bytes of UTF-8. */
export const MAX_CONSOLE_BYTES = 32_768;

const isInsideCharacter = (byte: number | undefined): boolean =>
  byte !== undefined && (byte & 0xc0) === 0x80;

/** What is kept of a console: its first bytes, whole characters only. */
export const keptConsole = (text: string): string => {
  if (text === '') return text;
  const bytes = Buffer.from(text);
  let end = Math.min(bytes.length, MAX_CONSOLE_BYTES);
  while (isInsideCharacter(bytes[end])) end -= 1;
  return bytes.toString('utf8', 0, end);
};
