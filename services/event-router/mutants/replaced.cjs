/** Applies a mutant to the text of its file. @throws Error unless `from` occurs exactly once. */
exports.replaced = (text, { name, file, from, to }) => {
  const count = text.split(from).length - 1;
  if (count !== 1)
    throw new Error(`mutant "${name}": its text stands ${count} times in ${file}, not once`);
  return text.replace(from, () => to);
};
