const FRACTION = /\.(\d+)/;

/**
 * A datetime or a time in its written form, without the digits of the fraction of its seconds that are too many. They are
 * cut off, never rounded.
 *
 * @param digits that stay, from 0.
 */
export const cutFraction = (text: string, digits: number): string =>
  text.replace(FRACTION, (whole, fraction: string) => {
    if (fraction.length <= digits) return whole;
    return digits === 0 ? '' : `.${fraction.slice(0, digits)}`;
  });
