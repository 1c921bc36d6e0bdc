const SHOWN_CHARACTERS = 4;

/**
 * Masks a secret: dots and its last four characters, so that it can be recognized. One of four characters or fewer is
 * hidden entirely.
 */
export const mask = (secret: string): string => {
  const characters = Array.from(secret);
  const shown = characters.length > SHOWN_CHARACTERS ? characters.slice(-SHOWN_CHARACTERS) : [];
  return `••••${shown.join('')}`;
};
