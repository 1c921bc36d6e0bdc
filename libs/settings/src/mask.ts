const SHOWN_CHARACTERS = 4;

/** Dots and the last four characters, enough to recognise a secret by; a shorter one is not shown at all. */
export const mask = (secret: string): string => {
  const characters = Array.from(secret);
  const shown = characters.length > SHOWN_CHARACTERS ? characters.slice(-SHOWN_CHARACTERS) : [];
  return `••••${shown.join('')}`;
};
