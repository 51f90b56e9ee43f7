/* The table itself, apart from the code that walks it. */
#ifndef CAIRN_DATA_SCHEMA_SCHEMA_TABLE_H
#define CAIRN_DATA_SCHEMA_SCHEMA_TABLE_H

#include "data/schema/schema.h"

/* The keys at the top level of a scenario; ends with a name NULL. */
extern const struct cairn_schema_key cairn_schema_table_keys[];

/* The sections: one file each. */
extern const struct cairn_schema_key cairn_schema_run_time_keys[], cairn_schema_run_solver_keys[],
    cairn_schema_run_collisions_keys[], cairn_schema_run_world_keys[], cairn_schema_run_overlap_keys[],
    cairn_schema_run_cells_keys[], cairn_schema_run_output_keys[], cairn_schema_gravity_keys[],
    cairn_schema_gravity_frame_keys[], cairn_schema_spin_up_keys[], cairn_schema_stages_keys[],
    cairn_schema_contact_material_keys[], cairn_schema_contact_interaction_keys[], cairn_schema_bodies_keys[],
    cairn_schema_bodies_region_keys[], cairn_schema_bodies_select_keys[], cairn_schema_bodies_insert_keys[],
    cairn_schema_walls_keys[], cairn_schema_walls_assembly_keys[], cairn_schema_bonds_keys[];

#endif
