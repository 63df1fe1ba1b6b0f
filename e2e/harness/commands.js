// Change sets that several journeys make.

/** A boolean flag that is on and serves true to everybody. */
export function flagThatIsOn(flag) {
  return [
    { kind: "createFlag", flag, type: "boolean", variations: variations(flag) },
    { kind: "turnOn", flag },
  ];
}

/** A flag that serves true to the users of a new segment only, and the segment with its users. */
export function flagWithSegment(flag, segment, ...included) {
  const id = crypto.randomUUID();
  const rule = {
    conditions: [{ property: "User is in segment", value: JSON.stringify([id]) }],
    variation: `${flag}-true`,
  };
  return [
    { kind: "createSegment", segment, id, included },
    ...flagThatIsOn(flag),
    { kind: "setRules", flag, rules: [rule] },
    { kind: "setDefaultRule", flag, variation: `${flag}-false` },
  ];
}

/** A flag that serves true where another one does. */
export function flagThatNeeds(flag, needed) {
  const prerequisites = [{ flag: needed, variation: `${needed}-true` }];
  return [...flagThatIsOn(flag), { kind: "setPrerequisites", flag, prerequisites }];
}

function variations(flag) {
  return [
    { id: `${flag}-true`, value: "true" },
    { id: `${flag}-false`, value: "false" },
  ];
}
