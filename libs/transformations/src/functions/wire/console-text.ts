/** Console output kept per batch, in bytes of UTF-8. */
export const MAX_CONSOLE_BYTES = 32_768;

const isInsideCharacter = (byte: number | undefined): boolean =>
  byte !== undefined && (byte & 0xc0) === 0x80;

/** Cuts console output to its first bytes, at a character boundary. */
export const keptConsole = (text: string): string => {
  if (text === '') return text;
  const bytes = Buffer.from(text);
  let end = Math.min(bytes.length, MAX_CONSOLE_BYTES);
  while (isInsideCharacter(bytes[end])) end -= 1;
  return bytes.toString('utf8', 0, end);
};
