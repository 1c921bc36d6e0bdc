/** Returns what the function throws; undefined when it throws nothing. */
export const thrownBy = (act: () => void): unknown => {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
};
