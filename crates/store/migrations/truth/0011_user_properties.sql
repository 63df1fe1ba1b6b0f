-- What a project knows of the properties of end users, as JSON: what they mean, preset values.
CREATE TABLE user_properties (
    project_id TEXT NOT NULL REFERENCES projects (id),
    name TEXT NOT NULL,
    property TEXT NOT NULL,
    PRIMARY KEY (project_id, name)
);
