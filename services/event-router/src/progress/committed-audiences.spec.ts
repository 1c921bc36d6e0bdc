import { CommittedAudiences } from './committed-audiences';

const audience = (id: string) => ({ id, enabled: [], disabled: [] });

it('returns each audience once, by its id', () => {
  const audiences = new CommittedAudiences();
  const one = audience('1');
  expect(audiences.unwritten([one, audience('1'), audience('2')])).toEqual([one, audience('2')]);
  expect(audiences.unwritten([audience('1'), audience('3')])).toEqual([audience('3')]);
});

it('is limited in size', () => {
  const audiences = new CommittedAudiences();
  const most = Array.from({ length: 9_999 }, (_, index) => audience(`of long ago ${index}`));
  audiences.unwritten([audience('first'), ...most]);
  expect(audiences.unwritten([audience('first')])).toHaveLength(1);
});
