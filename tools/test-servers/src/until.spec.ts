import { addWitness, until } from './until';

it('resolves when the condition holds', async () => {
  let looks = 0;
  await until(() => (looks += 1) === 3);
  expect(looks).toBe(3);
});

it('fails with the condition and what the witnesses see, also one that fails itself', async () => {
  const counted = { count: 7 };
  const removals = [
    addWitness('counts', () => Promise.resolve({ Delivered: counted.count })),
    addWitness('rows', () => Promise.reject(new Error('no such table'))),
  ];
  addWitness('removed', () => 'is not shown')();
  const clock = jest.spyOn(Date, 'now').mockReturnValueOnce(0);
  try {
    await expect(until(() => counted.count > 8)).rejects.toThrow(
      /^did not come about within 240 s: .*counted.count > 8\nLast seen:\ncounts: \{ Delivered: 7 \}\nrows: Error: no such table/s,
    );
    await expect(until(() => true)).resolves.toBeUndefined();
  } finally {
    clock.mockRestore();
    for (const remove of removals) remove();
  }
});
